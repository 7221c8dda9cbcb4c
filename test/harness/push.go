package harness

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/test/pushclient"
)

// Rendition is one part of a gateway's answer to a push.
type Rendition = pushclient.Rendition

// Push sends one segment to a gateway as an HTTP push client does and returns the
// renditions in profile order, or what the gateway answered instead.
func Push(gateway, stream, file string, data []byte, duration time.Duration) ([]Rendition, error) {
	a, err := pushclient.Push(context.Background(), Client(), gateway, pushclient.Segment{
		Stream: stream, File: file, Data: data, Duration: duration,
	})
	if err != nil {
		return nil, err
	}
	return a.Renditions, nil
}
