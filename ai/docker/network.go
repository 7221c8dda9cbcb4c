package docker

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"net"
	"net/netip"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/core/fault"
)

const (
	// bridgePrefix precedes a hash in the name of a network's interface, so that a firewall
	// rule matches all of them: -i tutti+.
	bridgePrefix = "tutti"
	// bridgeOption sets an interface's name.
	bridgeOption = "com.docker.network.bridge.name"
	// gatewayOption sets the containers' default gateway.
	gatewayOption = "DefaultGatewayIPv4"
)

// errNotReachable means that the engine's networks are not this process's: the engine runs
// in a virtual machine, without root or on another machine, or the node in a container with
// its own network.
var errNotReachable = errors.New("the Docker Engine's networks cannot be reached from the node")

// networkName returns the name of a container's network. It depends on the owner, because nodes
// that share an engine may briefly have containers of the same name.
func (e *Engine) networkName(container string) string {
	return container + "_" + e.bridge(container)
}

// bridge returns the name of a network's interface, at most 15 bytes.
func (e *Engine) bridge(container string) string {
	sum := sha256.Sum256([]byte(e.owner + "\x00" + container))
	return bridgePrefix + hex.EncodeToString(sum[:5])
}

// makeNetwork creates an internal network for one container, in which it reaches only this
// machine. The error is errNotReachable if the node could not reach the container in it.
//
// Older engines give containers a default route through this machine even there, and a
// firewall may be off. The route therefore goes to an unused address of the subnet, which
// must be known for this: it is taken from a range that the engine has found free.
func (e *Engine) makeNetwork(ctx context.Context, container string) (id string, err error) {
	e.networkMu.Lock()
	defer e.networkMu.Unlock()
	const tries = 3
	for try := 1; ; try++ {
		if id, err = e.makeInPool(ctx, container); !overlaps(err) || try == tries {
			return id, err
		}
		// No subnet is free, or another program has taken the range meanwhile.
		e.subnets.reset(netip.Prefix{})
	}
}

// overlaps reports whether a network could not be created because its addresses are taken.
func overlaps(err error) bool { return err != nil && strings.Contains(err.Error(), "overlaps") }

// makeInPool creates a network in the pool's next free subnet, after finding a range if
// there is none. Other nodes at the same engine may use subnets of it.
func (e *Engine) makeInPool(ctx context.Context, container string) (id string, err error) {
	const op, tries = "make a container's network", 16
	if !e.subnets.known() {
		all, err := e.findPrefix(ctx, container)
		if err != nil {
			return "", err
		}
		e.subnets.reset(all)
	}
	err = errors.New("the node's address range overlaps with other networks")
	for range tries {
		subnet, ok := e.subnets.acquire()
		if !ok {
			break
		}
		made, tried := e.tryNetwork(ctx, container, &network.IPAM{Config: []network.IPAMConfig{{
			Subnet: subnet, Gateway: subnet.Addr().Next(),
			AuxAddress: map[string]netip.Addr{gatewayOption: last(subnet)},
		}}})
		if tried == nil {
			e.subnets.assign(subnet, made.id)
			return made.id, nil
		}
		if err = tried; !overlaps(err) {
			break
		}
	}
	return "", e.networkFault(op, err)
}

// findPrefix finds addresses that neither the engine's networks nor the machine's routes
// use, by creating a network with the engine's choice and removing it again.
func (e *Engine) findPrefix(ctx context.Context, container string) (netip.Prefix, error) {
	first, err := e.tryNetwork(ctx, container, nil)
	if err != nil {
		return netip.Prefix{}, e.networkFault("make a container's network", err)
	}
	here := e.isLocal(e.bridge(container), first.Gateway)
	e.dropNetwork(ctx, first.id)
	if !here {
		return netip.Prefix{}, errNotReachable
	}
	return first.Subnet, nil
}

// last returns the last host address of a subnet.
func last(subnet netip.Prefix) netip.Addr {
	ip := subnet.Masked().Addr().As4()
	n := binary.BigEndian.Uint32(ip[:]) | (1<<(32-subnet.Bits()) - 1)
	binary.BigEndian.PutUint32(ip[:], n-1)
	return netip.AddrFrom4(ip)
}

// madeNetwork is a network with its subnet.
type madeNetwork struct {
	id string
	network.IPAMConfig
}

// tryNetwork creates a network and inspects it. It first removes a leftover network of a
// container of that name.
func (e *Engine) tryNetwork(ctx context.Context, container string, ipam *network.IPAM) (madeNetwork, error) {
	id, err := e.createNetwork(ctx, container, ipam)
	if err != nil && e.removeLeftNetwork(ctx, container) {
		id, err = e.createNetwork(ctx, container, ipam)
	}
	if err != nil {
		return madeNetwork{}, err
	}
	made, err := e.api.NetworkInspect(ctx, id, client.NetworkInspectOptions{})
	if err == nil && (len(made.Network.IPAM.Config) == 0 || !made.Network.IPAM.Config[0].Subnet.Addr().Is4()) {
		err = errors.New("the network has no IPv4 subnet")
	}
	if err != nil {
		e.dropNetwork(context.WithoutCancel(ctx), id)
		return madeNetwork{}, err
	}
	return madeNetwork{id, made.Network.IPAM.Config[0]}, nil
}

func (e *Engine) createNetwork(ctx context.Context, container string, ipam *network.IPAM) (string, error) {
	ipv6 := false
	made, err := e.api.NetworkCreate(ctx, e.networkName(container), client.NetworkCreateOptions{
		Driver: "bridge", Internal: true, EnableIPv6: &ipv6, IPAM: ipam,
		Options: map[string]string{bridgeOption: e.bridge(container)},
		Labels:  e.networkLabels(),
	})
	return made.ID, err
}

func (e *Engine) networkLabels() map[string]string {
	l := map[string]string{labelCreator: creator, labelOwner: e.owner}
	if node := e.node(); node != "" {
		l[labelNode] = node
	}
	return l
}

// networkFault is the fault of a network operation.
func (e *Engine) networkFault(op string, err error) error {
	if f := connectionFault(op, err); f != nil {
		return f
	}
	return fault.Wrap(fault.ContainerNetworkFailed, op, cleanError{err})
}

// interfaceHas reports whether an interface of this machine has the address.
func interfaceHas(name string, ip netip.Addr) bool {
	i, err := net.InterfaceByName(name)
	if err != nil {
		return false
	}
	addrs, err := i.Addrs()
	if err != nil {
		return false
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok {
			if has, ok := netip.AddrFromSlice(n.IP); ok && has.Unmap() == ip {
				return true
			}
		}
	}
	return false
}

// removeLeftNetwork removes a leftover network of this node for a container, and reports
// whether it did.
func (e *Engine) removeLeftNetwork(ctx context.Context, container string) bool {
	found, err := e.api.NetworkInspect(ctx, e.networkName(container), client.NetworkInspectOptions{})
	if err != nil || !e.oursLabeled(found.Network.Labels) {
		return false
	}
	if _, err = e.api.NetworkRemove(ctx, found.Network.ID, client.NetworkRemoveOptions{}); err != nil {
		return false
	}
	e.subnets.release(found.Network.ID)
	return true
}

// oursLabeled is ours for objects that always carry an owner's label.
func (e *Engine) oursLabeled(labels map[string]string) bool {
	_, marked := labels[labelOwner]
	return marked && e.ours(labels)
}

// dropNetwork removes a network. If it fails, the network only occupies addresses until
// the node's next start.
func (e *Engine) dropNetwork(ctx context.Context, id string) {
	if id == "" {
		return
	}
	_, err := e.api.NetworkRemove(ctx, id, client.NetworkRemoveOptions{})
	if err == nil || errdefs.IsNotFound(err) {
		e.subnets.release(id)
		return
	}
	e.log.Warn("a container's network could not be removed; the node's next start tries again",
		"network", id, fault.Attr(e.networkFault("remove a container's network", err)))
}

// reconcileNetworks removes the networks of an earlier run of this node.
func (e *Engine) reconcileNetworks(ctx context.Context) error {
	listed, err := e.api.NetworkList(ctx, client.NetworkListOptions{
		Filters: make(client.Filters).Add("label", labelCreator+"="+creator),
	})
	if err != nil {
		return e.networkFault("list containers' networks", err)
	}
	for _, n := range listed.Items {
		if e.oursLabeled(n.Labels) && !e.inUse(n.ID) {
			e.dropNetwork(ctx, n.ID)
		}
	}
	return nil
}
