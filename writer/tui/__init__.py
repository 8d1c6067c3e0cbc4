"""The Textual front end. Never imports torch, vllm or transformers."""
