"""The course: one TOML file for each lesson, and the code that reads, checks and draws them."""
