"""What the built-in catalog is worth: wrong expected values are caught, and strangers' answers are marked."""
