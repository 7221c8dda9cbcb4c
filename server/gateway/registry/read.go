package registry

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// readTimeout bounds one reading of the chain.
const readTimeout = 30 * time.Second

// unreadKey is the condition of a registry that cannot be read.
var unread = health.Key{Code: fault.RegistryUnread}

// refresh reads the active set. After a failure the last one stays in use.
func (d *Directory) refresh(ctx context.Context) error {
	defer d.triedOnce.Do(func() { close(d.tried) })
	bounded, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	pool, err := d.opt.Stakes.Pool(bounded)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		err = fault.Wrap(fault.RegistryUnread, "read the active set", err)
	}
	d.mu.Lock()
	fine := d.err == nil
	d.err = err
	if err == nil {
		d.take(pool, d.opt.Now())
	}
	known := len(d.places)
	d.mu.Unlock()
	d.tell(err, fine, known)
	return err
}

// reportRead reports a change; wasRead says that the previous reading succeeded.
func (d *Directory) tell(err error, fine bool, known int) {
	switch {
	case err == nil && d.opt.Board != nil:
		d.opt.Board.Clear(unread)
	case err == nil:
	case d.opt.Board != nil:
		d.opt.Board.Set(unread, fmt.Sprintf("%d service addresses of the last reading stay in use", known))
	case fine:
		d.opt.Log.Warn("the active set cannot be read", "kept", known, fault.Attr(err))
	}
}

// applyPoolLocked replaces the active set.
func (d *Directory) take(pool []protocol.Orchestrator, now time.Time) {
	d.read = now
	d.stakes = make(map[core.Address]protocol.Orchestrator, len(pool))
	registered := make(map[string][]core.Address)
	for _, o := range pool {
		if !o.Active {
			continue // not in the active set before the next round
		}
		d.stakes[o.Address] = o
		if d.opt.Named {
			continue
		}
		uri, err := upstream.ParseAddress(o.ServiceURI)
		if o.ServiceURI == "" || err != nil {
			d.opt.Log.Debug("orchestrator without a usable service address left out", "orchestrator", o.Address.String(), "err", err)
			continue
		}
		if len(registered) < maxPlaces || registered[uri] != nil {
			registered[uri] = append(registered[uri], o.Address)
		}
	}
	if !d.opt.Named {
		d.settle(registered, now)
	}
}

// applyRegisteredLocked drops endpoints that are not registered any more, with their extra nodes,
// and adds new ones.
func (d *Directory) settle(registered map[string][]core.Address, now time.Time) {
	for uri, p := range d.places {
		if p.parent == "" && registered[uri] == nil {
			d.drop(uri, p)
		}
	}
	for uri, owners := range registered {
		p := d.places[uri]
		if p == nil {
			p = &place{uri: uri, known: now}
			d.places[uri] = p
		}
		if !slices.Equal(p.owners, owners) {
			p.owners, p.asked = owners, time.Time{}
		}
		p.parent = ""
	}
	for uri, p := range d.places {
		if p.parent == "" {
			continue
		}
		parent := d.places[p.parent]
		if parent == nil || parent.parent != "" {
			d.drop(uri, p)
			continue
		}
		p.owners = parent.owners
	}
}
