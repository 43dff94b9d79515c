from hypothesis import settings

settings.register_profile("urisect", deadline=None, print_blob=True)
settings.load_profile("urisect")
