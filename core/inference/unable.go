package inference

import (
	"bytes"
	"regexp"
	"strconv"
)

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

// maxScanned bounds the text of a refusal that is searched, in bytes.
const maxScanned = 64 << 10

// SaysTooLong reports whether a model server's refusal says that the request is longer than the
// model's context.
func SaysTooLong(text []byte) bool { return containsAny(lowered(text), tooLong[:]) }

// contextNumbers find the context's length in a refusal, in lower case: OpenAI's, vLLM's and SGLang's words, and
// llama.cpp's. Read-only.
var contextNumbers = regexp.MustCompile(
	`maximum (?:context|model) length (?:of the model )?(?:is |of )?\(?([0-9]{1,12})|` +
		`available context size \(([0-9]{1,12})|"n_ctx": ?([0-9]{1,12})`)

// cannot are the words by which a server says that it cannot do something at all. A request that it could do, and
// which is wrong in itself, is refused with others. Read-only.
var cannot = [...][]byte{
	[]byte("not support"), []byte("unsupported"), []byte("not enabled"), []byte("disabled"), []byte("requires --"),
	[]byte("at most 0 "), []byte("not a multimodal"), []byte("missing data required"), []byte("no support"),
	[]byte("cannot process"), []byte("not available"),
}

// featureNames are the words that name each feature in refusals, in lower case. Read-only.
var featureNames = [MaxFeatures][][]byte{
	1: {[]byte("completion api"), []byte("completions api")},
	2: {[]byte("embedding")},
	3: {[]byte("rerank")},
	4: {[]byte("tool"), []byte("function call")},
	5: {[]byte("image"), []byte("vision"), []byte("multimodal"), []byte("picture")},
	6: {[]byte("audio")},
	7: {[]byte("response_format"), []byte("json_schema"), []byte("json schema"), []byte("structured output"),
		[]byte("guided")},
	8: {[]byte("logprob")},
}

// NamedUnable returns what of a request's needs a refusal says the model cannot do: one feature, or the length,
// which is then the context that the text states, 0 without; ok says that it names exactly one of them.
func NamedUnable(text []byte, needs Needs) (unable Needs, stated Tokens, ok bool) {
	lower := lowered(text)
	if needs.Tokens > 0 && containsAny(lower, tooLong[:]) {
		if m := contextNumbers.FindSubmatch(lower); m != nil {
			n, _ := strconv.ParseInt(string(bytes.Join(m[1:], nil)), 10, 64) // twelve digits at most
			stated = Tokens(n)
		}
		return Needs{Tokens: needs.Tokens}, stated, true
	}
	if !containsAny(lower, cannot[:]) {
		return Needs{}, 0, false
	}
	for i, names := range featureNames {
		if needs.Features&(1<<i) != 0 && containsAny(lower, names) {
			unable.Features |= 1 << i
		}
	}
	return unable, 0, isOne(unable.Features)
}

// isOne reports whether a set has exactly one feature.
func isOne(s FeatureSet) bool { return s != 0 && s&(s-1) == 0 }

func lowered(text []byte) []byte { return bytes.ToLower(text[:min(len(text), maxScanned)]) }

func containsAny(text []byte, words [][]byte) bool {
	for _, w := range words {
		if bytes.Contains(text, w) {
			return true
		}
	}
	return false
}
