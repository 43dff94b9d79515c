"""Write tables: as text, and as Arrow and Parquet."""
