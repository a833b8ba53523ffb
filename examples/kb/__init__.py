"""A small bilingual knowledge base about a fictional e-bike maker, and a real search-and-answer system over it."""
