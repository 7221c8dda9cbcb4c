// Package backend is the client of runners: those of the network's own contract
// (/llm, /health, /version, /hardware/info), and OpenAI-compatible servers (vLLM,
// llama.cpp, Ollama and others). It detects the kind behind an address, its operations
// and its slots.
//
// ai/manager decides which runner gets a job and when it is probed. Requests and answers
// are not changed, except for request fields that a server would reject; these are edited
// in place.
package backend
