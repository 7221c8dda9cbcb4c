package docker

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/core/fault"
)

// labelNode names the node by its key: nodes without a service address have the same owner.
// labelSeal authenticates the configuration that this node requested for the container.
const (
	labelNode = "tutti.node"
	labelSeal = "tutti.seal"
)

// keyed returns the node's key, nil if there is none. It is read, or made, at first use.
func (e *Engine) keyed() []byte {
	key, err := e.key()
	if err != nil {
		e.keyWarning.Do(func() {
			e.log.Warn("containers cannot be marked as this node's, and are loaded again at its next start", fault.Attr(err))
		})
		return nil
	}
	return key
}

// node returns the value of labelNode, "" without a key.
func (e *Engine) node() string {
	key := e.keyed()
	if key == nil {
		return ""
	}
	return hex.EncodeToString(tag(key, []byte("node"))[:16])
}

func tag(key, of []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(of)
	return mac.Sum(nil)
}

// mark labels a container as this node's, with an HMAC over the requested configuration. The variables of
// a container may hold tokens; without the key they cannot be guessed from the HMAC.
func (e *Engine) mark(o *client.ContainerCreateOptions) {
	if node := e.node(); node != "" {
		o.Config.Labels[labelNode] = node
		o.Config.Labels[labelSeal] = e.seal(o)
	}
}

// seal returns the HMAC of a request, which is the same for the same request. It leaves out the network's
// identity, because each container gets a new one: adoption checks the network itself.
func (e *Engine) seal(o *client.ContainerCreateOptions) string {
	config, host := *o.Config, *o.HostConfig
	config.Labels = maps.Clone(config.Labels)
	delete(config.Labels, labelSeal)
	if len(host.PortBindings) == 0 {
		host.NetworkMode = "internal"
	}
	text, err := json.Marshal(struct {
		Name   string
		Config *container.Config
		Host   *container.HostConfig
	}{o.Name, &config, &host})
	if err != nil {
		return ""
	}
	return hex.EncodeToString(tag(e.keyed(), text))
}
