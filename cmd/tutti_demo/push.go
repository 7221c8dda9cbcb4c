package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/tuttinode/tutti/test/pushclient"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// push sends one segment of the demonstration's stream.
func push(ctx context.Context, gateway, stream string, seg clip.Segment) (*pushclient.Answer, error) {
	return pushclient.Push(ctx, http.DefaultClient, gateway, pushclient.Segment{
		Stream: stream, File: fmt.Sprintf("%d.ts", seg.Number), Data: seg.Data, Duration: seg.Duration,
	})
}
