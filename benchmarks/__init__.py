"""What the library costs, beside its peers, and the corpora that it is measured on."""
