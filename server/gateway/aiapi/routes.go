package aiapi

import (
	"net/http"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// route is one address and its handler.
type route struct {
	// path is the pattern for a ServeMux, and the address's name in the log.
	path   string
	method string
	// capability and operation are those of the route's jobs.
	capability capability.ID
	operation  inference.Operation
	// upload: the body holds a file.
	upload bool
	// maxBody is the largest body where the route needs less than Limits.Body, in bytes.
	maxBody int64
	serve   func(*relayedRequest) error
}

// chatPath is OpenAI's address for chats, networkPath the network's own.
const (
	chatPath    = "/v1/chat/completions"
	networkPath = "/llm"
)

// maxResultQuery is enough for a job's ID in JSON.
const maxResultQuery = 4 << 10

// routes are all addresses. Patterns name no method, so that a wrong method is answered in JSON
// like every other error. Read-only.
var routes = []route{
	text(networkPath, inference.Chat),
	text(chatPath, inference.Chat),
	{path: chatPath + "/input_tokens", method: http.MethodPost, capability: capability.LLM,
		operation: inference.Chat, serve: (*relayedRequest).estimateTokens},
	text("/v1/completions", inference.Completion),
	text("/v1/embeddings", inference.Embedding),
	text("/v1/rerank", inference.Rerank),
	{path: "/v1/models", method: http.MethodGet, serve: (*relayedRequest).listModels},
	{path: "/v1/models/{model...}", method: http.MethodGet, serve: (*relayedRequest).oneModel},

	media("/text-to-image", capability.TextToImage, false, (*relayedRequest).makeMedia),
	media("/image-to-image", capability.ImageToImage, true, (*relayedRequest).makeMedia),
	media("/image-to-video", capability.ImageToVideo, true, (*relayedRequest).makeVideo),
	{path: "/image-to-video/result", method: http.MethodPost, maxBody: maxResultQuery,
		serve: (*relayedRequest).videoResult},
	media("/upscale", capability.Upscale, true, (*relayedRequest).makeMedia),
	media("/text-to-speech", capability.TextToSpeech, false, (*relayedRequest).makeMedia),
	media("/audio-to-text", capability.AudioToText, true, (*relayedRequest).serveText),
	media("/image-to-text", capability.ImageToText, true, (*relayedRequest).serveText),
	media("/segment-anything-2", capability.SegmentAnything2, true, (*relayedRequest).serveText),

	media("/v1/images/generations", capability.TextToImage, false, (*relayedRequest).openAIImages),
	media("/v1/images/edits", capability.ImageToImage, true, (*relayedRequest).openAIEdits),
	media("/v1/audio/speech", capability.TextToSpeech, false, (*relayedRequest).openAISpeech),
	media("/v1/audio/transcriptions", capability.AudioToText, true, (*relayedRequest).openAITranscription),
	{path: "/v1/audio/translations", method: http.MethodPost, capability: capability.AudioToText,
		operation: inference.Translation, upload: true, serve: (*relayedRequest).openAITranslation},

	{path: "/v1/", serve: func(*relayedRequest) error {
		return fault.New(fault.RouteNotFound, "find address", "the gateway has no such address; docs/llm.md lists them")
	}},
}

func text(path string, op inference.Operation) route {
	return route{path: path, method: http.MethodPost, capability: capability.LLM, operation: op,
		serve: (*relayedRequest).serveLLM}
}

func media(path string, id capability.ID, upload bool, serve func(*relayedRequest) error) route {
	return route{
		path: path, method: http.MethodPost, capability: id,
		operation: inference.Operation(id.Pipeline()), upload: upload, serve: serve,
	}
}
