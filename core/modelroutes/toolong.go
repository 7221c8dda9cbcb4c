package modelroutes

import "bytes"

// tooLong are the words by which model servers refuse a request that is too long, in lower case.
// Read-only.
var tooLong = [...][]byte{
	[]byte("context_length_exceeded"),       // OpenAI's code
	[]byte("maximum context length"),        // vLLM, SGLang
	[]byte("maximum model length"),          // vLLM
	[]byte("exceed_context_size"),           // llama.cpp's type
	[]byte("available context size"),        // llama.cpp
	[]byte("exceeds the context"),           // Ollama, llama.cpp
	[]byte("context window"),                // several
	[]byte("max_new_tokens` must be <="),    // TGI
	[]byte("longer than the maximum model"), // vLLM
}

// maxScanned bounds the text that is searched, in bytes.
const maxScanned = 64 << 10

// SaysTooLong reports whether a model server's refusal says that the request is longer than the
// model's context.
func SaysTooLong(text []byte) bool {
	lower := bytes.ToLower(text[:min(len(text), maxScanned)])
	for _, words := range tooLong {
		if bytes.Contains(lower, words) {
			return true
		}
	}
	return false
}
