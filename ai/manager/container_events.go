package manager

import (
	"context"
	"sync"

	"github.com/tuttinode/tutti/ai/docker"
)

// containerEvents notifies runners when the engine reports that their container ended.
type containerEvents struct {
	mu   sync.Mutex
	subs map[docker.ID]chan<- struct{} // guarded by mu
}

// follow runs until ctx ends.
func (n *containerEvents) follow(ctx context.Context, engine Engine) {
	for event := range engine.Watch(ctx) {
		switch event.Kind {
		case docker.Died, docker.Removed:
			n.notify(event.ID)
		case docker.Reconnected:
			n.notifyAll()
		}
	}
}

// subscribe pokes flag when the container may have ended. flag needs a buffer of one.
func (n *containerEvents) subscribe(id docker.ID, flag chan<- struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.subs == nil {
		n.subs = make(map[docker.ID]chan<- struct{})
	}
	n.subs[id] = flag
}

func (n *containerEvents) unsubscribe(id docker.ID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.subs, id)
}

func (n *containerEvents) notify(id docker.ID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if flag := n.subs[id]; flag != nil {
		poke(flag)
	}
}

// notifyAll makes every runner inspect its container.
func (n *containerEvents) notifyAll() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, flag := range n.subs {
		poke(flag)
	}
}
