package gateway

import (
	"context"
	"crypto/rand"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/server/apikeystore"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/batch"
	"github.com/tuttinode/tutti/server/gateway/chatface"
	"github.com/tuttinode/tutti/server/gateway/chatface/messages"
	"github.com/tuttinode/tutti/server/gateway/chatface/ollama"
	"github.com/tuttinode/tutti/server/gateway/chatface/responses"
)

// withFaces is the AI interface with other APIs in front of it.
type withFaces struct {
	*aiapi.Server
	responses  *responses.Face
	keys       *apikeystore.API
	moderation chatface.Moderation
	// batches is nil where the gateway keeps none.
	batches *batch.Server
	// maxBody bounds a request in the form of another API, in bytes, as aiapi bounds its own.
	maxBody int64
}

// newFaces puts the APIs in front of f. Keys own the responses that are kept.
func newFaces(f *aiapi.Server, keys *apikeystore.Authorizer, batches *batch.Server, c *config.Config) withFaces {
	return withFaces{f, responses.New(responses.Options{
		Keys: keys, Limits: responses.StoreLimits{Bytes: nodeenv.Memory(responses.DefaultStoreBytes)},
		Now: time.Now, Rand: rand.Reader,
	}), apikeystore.NewAPI(apikeystore.APIOptions{Keys: keys, Store: keys.Store(), Now: time.Now, Rand: rand.Reader}),
		chatface.Moderation{Model: c.Gateway.ModerationModel, NewID: rand.Text}, batches, int64(c.AI.BodyLimit)}
}

// Register adds the routes of all.
func (f withFaces) Register(mux *http.ServeMux) {
	f.Server.Register(mux)
	f.keys.Register(mux)
	mux.Handle("/v1/messages", chatface.Handler(mux, messages.Face{NewID: rand.Text}, f.maxBody))
	mux.Handle("/v1/messages/count_tokens", chatface.Handler(mux, messages.Counter{}, f.maxBody))
	mux.Handle(responses.Path, chatface.Handler(mux, f.responses, f.maxBody))
	mux.Handle(responses.CountPath, chatface.Handler(mux, responses.Counter{Face: f.responses}, f.maxBody))
	mux.Handle(chatface.ModerationPath, chatface.Handler(mux, f.moderation, f.maxBody))
	mux.Handle(responses.Path+"/", f.responses.Stored())
	ollama.Register(mux, mux, f.maxBody, time.Now)
	if f.batches == nil {
		batch.Off(mux)
		return
	}
	f.batches.Register(mux)
}

// Drain starts no further request of a batch, and is that of the AI interface then.
func (f withFaces) Drain(ctx context.Context) error {
	if f.batches != nil {
		f.batches.Pause()
	}
	return f.Server.Drain(ctx)
}

// Close ends the requests of batches that are in progress, and what they go through.
func (f withFaces) Close() {
	if f.batches != nil {
		f.batches.Stop()
	}
	f.Server.Close()
}
