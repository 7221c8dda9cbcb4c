package gateway

import (
	"crypto/rand"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/chatface"
	"github.com/tuttinode/tutti/server/gateway/chatface/messages"
	"github.com/tuttinode/tutti/server/gateway/chatface/ollama"
)

// maxFaceBody bounds a request in the form of another API, in bytes, as aiapi bounds its own.
const maxFaceBody = 10 << 20

// withFaces is the AI interface with other APIs in front of it.
type withFaces struct{ *aiapi.Server }

// Register adds the routes of all.
func (f withFaces) Register(mux *http.ServeMux) {
	f.Server.Register(mux)
	mux.Handle("/v1/messages", chatface.Handler(mux, messages.Face{NewID: rand.Text}, maxFaceBody))
	mux.Handle("/v1/messages/count_tokens", chatface.Handler(mux, messages.Counter{}, maxFaceBody))
	ollama.Register(mux, mux, maxFaceBody, time.Now)
}
