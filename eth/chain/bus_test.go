package chain

import (
	"testing"

	"github.com/tuttinode/tutti/core/protocol"
)

func TestBus(t *testing.T) {
	t.Parallel()
	var b bus
	var got []string
	listen := func(name string) func() {
		return b.Subscribe(func(e protocol.Event) {
			got = append(got, name)
			if p, ok := e.(protocol.PoolSeen); ok && p.Size == 7 {
				// A callback may come and go.
				b.Subscribe(func(protocol.Event) {})()
			}
		})
	}
	stop := listen("a")
	listen("b")
	b.publish(protocol.PoolSeen{Size: 7}, protocol.PoolSeen{})
	stop()
	stop()
	b.publish(protocol.PoolSeen{})
	if len(got) != 5 || got[0] != "a" || got[1] != "b" || got[4] != "b" {
		t.Errorf("published %v", got)
	}
}
