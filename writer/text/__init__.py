"""Text as such: cleaning what is foreign, counting words. Pure."""
