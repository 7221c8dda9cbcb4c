package aiapi_test

import (
	"context"
	"image/color"
	"net/http"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
)

// refusing is a service that refuses every key.
type refusing struct{}

func (refusing) Decide(context.Context, string, apikeys.Need) (apikeys.Key, error) {
	return apikeys.Key{}, fault.New(fault.KeyDenied, "check key", "not this one")
}

// TestInventedKeysHaveNoImageDecoded: a key that only the operator's service can check is checked before the image is
// scaled.
func TestInventedKeysHaveNoImageDecoded(t *testing.T) {
	t.Parallel()
	keys := apikeys.New(apikeys.Options{Decider: refusing{}, Now: time.Now})
	n := start(t, func(o *aiapi.Options) { o.Keys = keys }).serve()
	damaged := block(t, 64, 64, color.Black)[:60]
	contentType, body := upload(t, "@image", string(damaged), "prompt", "x", "size", "32x32")
	g := n.post("/v1/images/edits", body, "Content-Type", contentType, "Authorization", "Bearer tk-invented")
	if g.status != http.StatusForbidden {
		t.Errorf("status %d, %s", g.status, g.body)
	}
}
