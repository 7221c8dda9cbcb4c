package apikeys

import (
	"io"
	"sync"
	"sync/atomic"
)

// delegates are tokens that stand for listed keys in this process.
type delegates struct {
	// count is len(keys), so that requests look nothing up while there are none.
	count atomic.Int64

	mu   sync.RWMutex
	keys map[Hash]Hash // guarded by mu
}

// Delegate returns a token that is good for what a listed key is good for, until end is called: for
// work that goes on without the client, whose secret nothing keeps. It is not kept either, and
// what it is used for counts for the key. A key that is not listed any more makes it unknown; the
// webhook is never asked about it. The error is that of random.
func (g *Guard) Delegate(key Hash, random io.Reader) (token string, end func(), err error) {
	token, err = NewSecret(random)
	if err != nil {
		return "", nil, err
	}
	d, hash := &g.delegates, HashOf(token)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.keys == nil {
		d.keys = make(map[Hash]Hash)
	}
	d.keys[hash] = key
	d.count.Store(int64(len(d.keys)))
	return token, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.keys, hash)
		d.count.Store(int64(len(d.keys)))
	}, nil
}

// Owner returns the hash of the key that a token belongs to, or stands for.
func (g *Guard) Owner(token string) Hash {
	hash, _ := g.hashOf(token)
	return hash
}

// hashOf returns the hash of a token's key, and whether the token only stands for it.
func (g *Guard) hashOf(token string) (key Hash, delegated bool) {
	hash := HashOf(token)
	if g.delegates.count.Load() == 0 {
		return hash, false
	}
	g.delegates.mu.RLock()
	defer g.delegates.mu.RUnlock()
	if key, ok := g.delegates.keys[hash]; ok {
		return key, true
	}
	return hash, false
}
