"""What the columns of a table mean: their kinds, missing cells, times, and the recipe of a model."""
