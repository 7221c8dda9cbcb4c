// Package ollama is the face of Ollama's API: /api/chat, /api/generate, /api/embed, and what lists
// models.
//
// It maps and keeps no state between requests. Models are the network's, so what would change those
// of a server is refused by name. server/gateway/chatface serves it.
package ollama
