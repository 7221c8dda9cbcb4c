package livevideo_test

import (
	"bytes"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/tuttinode/tutti/server/livevideo"
)

// FuzzMessages has a runner that has started say anything, one message a line: whatever it says, its session ends
// with its connection, with every channel that it asked for.
func FuzzMessages(f *testing.F) {
	for _, text := range []string{
		`{"type":"create_channels","request_id":"r","direction":"bidirectional"}`,
		`{"type":"create_channels","direction":"in","mime_type":"a/b"}` + "\n" + `{"type":"close_channels","channels":[""]}`,
		`{"type":"restarting","request_id":"r"}` + "\n" + `{"type":"ready"}` + "\n" + `{"type":"started"}`,
		`{"type":"error","code":"A","error":"b"}`, `{"type":"pong"}`, `{"type":"started"}`, `null`, `[]`, "\xff",
	} {
		f.Add([]byte(text))
	}
	// The rig keeps the first results of connections alone, and there are many here.
	g := newRig(f, func(o *livevideo.ServerlessOptions) { o.Reached = nil })
	said := make(chan []byte, 1)
	g.serves(func(p *peer) {
		for line := range bytes.SplitSeq(<-said, []byte("\n")) {
			if p.ws.WriteMessage(websocket.TextMessage, line) != nil {
				return
			}
		}
	})
	f.Fuzz(func(t *testing.T, data []byte) {
		one := *g
		one.t = t
		said <- data
		one.start(`{}`)
		one.over()
	})
}
