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

// unreadableKey is the condition of a registry that cannot be read.
func unreadableKey() health.Key { return health.Key{Code: fault.RegistryUnread} }

// refresh reads the active set. After a failure the last one stays in use.
func (d *Directory) refresh(ctx context.Context) error {
	defer d.firstReadOnce.Do(func() { close(d.firstRead) })
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
	wasRead := d.err == nil
	d.err = err
	if err == nil {
		d.applyPoolLocked(pool, d.opt.Now())
	}
	known := len(d.endpoints)
	d.mu.Unlock()
	d.reportRead(err, wasRead, known)
	return err
}

// reportRead reports a change; wasRead says that the previous reading succeeded.
func (d *Directory) reportRead(err error, wasRead bool, known int) {
	switch {
	case err == nil && d.opt.Board != nil:
		d.opt.Board.Clear(unreadableKey())
	case err == nil:
	case d.opt.Board != nil:
		d.opt.Board.Set(unreadableKey(), fmt.Sprintf("%d service addresses of the last reading stay in use", known))
	case wasRead:
		d.opt.Log.Warn("the active set cannot be read", "kept", known, fault.Attr(err))
	}
}

// applyPoolLocked replaces the active set.
func (d *Directory) applyPoolLocked(pool []protocol.Orchestrator, now time.Time) {
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
			d.opt.Log.Debug("orchestrator without a usable service address left out", "orchestrator", o.Address.String(),
				"err", err)
			continue
		}
		if len(registered) < maxEndpoints || registered[uri] != nil {
			registered[uri] = append(registered[uri], o.Address)
		}
	}
	if !d.opt.Named {
		d.applyRegisteredLocked(registered, now)
	}
}

// applyRegisteredLocked drops endpoints that are not registered any more, with their extra nodes,
// and adds new ones.
func (d *Directory) applyRegisteredLocked(registered map[string][]core.Address, now time.Time) {
	for uri, p := range d.endpoints {
		if p.parent == "" && registered[uri] == nil {
			d.dropLocked(uri, p)
		}
	}
	for uri, owners := range registered {
		p := d.endpoints[uri]
		if p == nil {
			p = &endpoint{uri: uri, since: now}
			d.endpoints[uri] = p
		}
		if !slices.Equal(p.owners, owners) {
			p.owners, p.asked = owners, time.Time{}
		}
		p.parent = ""
	}
	for uri, p := range d.endpoints {
		if p.parent == "" {
			continue
		}
		parent := d.endpoints[p.parent]
		if parent == nil || parent.parent != "" {
			d.dropLocked(uri, p)
			continue
		}
		p.owners = parent.owners
	}
}
