"""The engine room: starts, keeps and speaks to vLLM. The only room that knows it."""
