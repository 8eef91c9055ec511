"""Programs that show what Headlight can look at."""
