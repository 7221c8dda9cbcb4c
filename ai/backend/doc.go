// Package backend speaks to what runs a model: a runner of the network's own
// contract (/llm, /health, /version, /hardware/info), or any OpenAI-compatible
// server (vLLM, llama.cpp, Ollama and others). It finds out by itself which of
// them is behind an address, what that can do and how much at once.
//
// It starts nothing and chooses nothing: ai/manager decides which runner gets a
// job and when it is probed. Requests and answers pass as they are; only what a
// server could not take is changed, byte by byte, in the request.
package backend
