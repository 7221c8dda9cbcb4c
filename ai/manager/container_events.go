package manager

import (
	"context"
	"sync"

	"github.com/tuttinode/tutti/ai/docker"
)

// containerEvents notifies runners when the engine reports that their container ended.
type news struct {
	mu   sync.Mutex
	subs map[docker.ID]chan<- struct{} // guarded by mu
}

// follow runs until ctx ends.
func (n *news) follow(ctx context.Context, engine Engine) {
	for event := range engine.Watch(ctx) {
		switch event.Kind {
		case docker.Died, docker.Removed:
			n.tell(event.ID)
		case docker.Reconnected:
			n.tellAll()
		}
	}
}

// subscribe pokes flag when the container may have ended. flag needs a buffer of one.
func (n *news) subscribe(id docker.ID, flag chan<- struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.subs == nil {
		n.subs = make(map[docker.ID]chan<- struct{})
	}
	n.subs[id] = flag
}

func (n *news) unsubscribe(id docker.ID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.subs, id)
}

func (n *news) tell(id docker.ID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if flag := n.subs[id]; flag != nil {
		poke(flag)
	}
}

// notifyAll makes every runner inspect its container.
func (n *news) tellAll() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, flag := range n.subs {
		poke(flag)
	}
}
