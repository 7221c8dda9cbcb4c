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
	most  int64
	serve func(*exchange) error
}

// chatPath is OpenAI's address for chats.
const chatPath = "/v1/chat/completions"

// maxResultQuery is enough for a job's ID in JSON.
const maxQuestion = 4 << 10

// routes are all addresses. Patterns name no method, so that a wrong method is answered in JSON
// like every other error. Read-only.
var routes = []route{
	text("/llm", inference.Chat),
	text(chatPath, inference.Chat),
	text("/v1/completions", inference.Completion),
	text("/v1/embeddings", inference.Embedding),
	{path: "/v1/models", method: http.MethodGet, serve: (*exchange).listModels},
	{path: "/v1/models/{model...}", method: http.MethodGet, serve: (*exchange).oneModel},

	media("/text-to-image", capability.TextToImage, false, (*exchange).makeMedia),
	media("/image-to-image", capability.ImageToImage, true, (*exchange).makeMedia),
	media("/image-to-video", capability.ImageToVideo, true, (*exchange).makeVideo),
	{path: "/image-to-video/result", method: http.MethodPost, most: maxQuestion, serve: (*exchange).videoResult},
	media("/upscale", capability.Upscale, true, (*exchange).makeMedia),
	media("/text-to-speech", capability.TextToSpeech, false, (*exchange).makeMedia),
	media("/audio-to-text", capability.AudioToText, true, (*exchange).passJob),
	media("/image-to-text", capability.ImageToText, true, (*exchange).passJob),
	media("/segment-anything-2", capability.SegmentAnything2, true, (*exchange).passJob),

	media("/v1/images/generations", capability.TextToImage, false, (*exchange).openAIImages),
	media("/v1/images/edits", capability.ImageToImage, true, (*exchange).openAIEdits),
	media("/v1/audio/speech", capability.TextToSpeech, false, (*exchange).openAISpeech),
	media("/v1/audio/transcriptions", capability.AudioToText, true, (*exchange).openAITranscription),

	{path: "/v1/", serve: func(*exchange) error {
		return fault.New(fault.RouteNotFound, "find address", "the gateway has no such address; docs/llm.md lists them")
	}},
}

func text(path string, op inference.Operation) route {
	return route{path: path, method: http.MethodPost, capability: capability.LLM, operation: op, serve: (*exchange).passText}
}

func media(path string, id capability.ID, upload bool, serve func(*exchange) error) route {
	return route{
		path: path, method: http.MethodPost, capability: id,
		operation: inference.Operation(id.Pipeline()), upload: upload, serve: serve,
	}
}
