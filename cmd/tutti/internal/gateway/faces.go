package gateway

import (
	"crypto/rand"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/server/apikeystore"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/chatface"
	"github.com/tuttinode/tutti/server/gateway/chatface/messages"
	"github.com/tuttinode/tutti/server/gateway/chatface/ollama"
	"github.com/tuttinode/tutti/server/gateway/chatface/responses"
	"github.com/tuttinode/tutti/server/gateway/chatface/responses/store"
	"github.com/tuttinode/tutti/server/gateway/keyapi"
)

// maxFaceBody bounds a request in the form of another API, in bytes, as aiapi bounds its own.
const maxFaceBody = 10 << 20

// withFaces is the AI interface with other APIs in front of it.
type withFaces struct {
	*aiapi.Server
	responses *responses.Face
	keys      *keyapi.Server
}

// newFaces puts the APIs in front of f. Keys own the responses that are kept.
func newFaces(f *aiapi.Server, keys *apikeystore.Authorizer) withFaces {
	return withFaces{f, responses.New(responses.Options{
		Keys: keys, Limits: store.Limits{Bytes: nodeenv.Memory(store.DefaultBytes)}, Now: time.Now, Rand: rand.Reader,
	}), keyapi.New(keyapi.Options{Keys: keys, Store: keys.Store(), Now: time.Now, Rand: rand.Reader})}
}

// Register adds the routes of all.
func (f withFaces) Register(mux *http.ServeMux) {
	f.Server.Register(mux)
	f.keys.Register(mux)
	mux.Handle("/v1/messages", chatface.Handler(mux, messages.Face{NewID: rand.Text}, maxFaceBody))
	mux.Handle("/v1/messages/count_tokens", chatface.Handler(mux, messages.Counter{}, maxFaceBody))
	mux.Handle(responses.Path, chatface.Handler(mux, f.responses, maxFaceBody))
	mux.Handle(responses.CountPath, chatface.Handler(mux, responses.Counter{Face: f.responses}, maxFaceBody))
	mux.Handle(responses.Path+"/", f.responses.Stored())
	ollama.Register(mux, mux, maxFaceBody, time.Now)
}
