"""How the columns of files become features."""
