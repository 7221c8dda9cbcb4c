package trickle_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/trickle"
)

// What all channels keep stays within the hub's limit while many write at once: none counts on bytes that another one
// has just taken. What does not fit is refused, and what a closed channel kept can be used again.
func TestHubBytesHoldForManyWriters(t *testing.T) {
	t.Parallel()
	const limit, channels, piece = 64 << 10, 32, 1 << 10
	for range 50 {
		hub := trickle.NewHub(trickle.Limits{HubBytes: limit, ChannelBytes: limit, SegmentBytes: limit}, time.Now)
		var wg sync.WaitGroup
		var mu sync.Mutex
		most, refused := int64(0), 0
		for i := range channels {
			c := hub.Open(fmt.Sprint(i), fmt.Sprint(i), "text/plain")
			wg.Go(func() {
				for range 5 {
					err := c.Put(make([]byte, piece))
					mu.Lock()
					most = max(most, hub.Bytes())
					if err != nil {
						refused++
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if most > limit || hub.Bytes() > limit {
			t.Fatalf("%d bytes are kept, and were %d; the limit is %d", hub.Bytes(), most, limit)
		}
		if hub.Bytes() < limit/2 || refused == 0 {
			t.Fatalf("%d bytes are kept, %d writes were refused", hub.Bytes(), refused)
		}
		for i := range channels {
			hub.Close(fmt.Sprint(i))
		}
		if got := hub.Bytes(); got != 0 {
			t.Fatalf("%d bytes are kept of no channel", got)
		}
		if err := hub.Open("again", "again", "text/plain").Put(make([]byte, limit/2)); err != nil {
			t.Fatal("what was freed cannot be used:", err)
		}
	}
}
