package models

import (
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fetchurl"
	"github.com/tuttinode/tutti/core/inference"
)

// Entry is one runner that the operator asks for: a container of ours, or a
// server that runs already. It is valid, and read-only once made.
type Entry struct {
	Model inference.Model
	// Warm asks for the model to be loaded from the start.
	Warm bool
	// Remote says that only workers on other machines run it: the entry gives its price.
	Remote bool
	// URL is the base address of a server that the operator runs, without a trailing slash;
	// "" means that the node starts a container.
	URL string
	// Token is sent to URL as bearer token.
	Token core.Secret
	// CA holds the certificates of its file, as PEM, that URL's must be signed by; "" is the
	// system's.
	CA string
	// ServedModel is the model's name at the server behind URL, "" when it is
	// Model.ID.
	ServedModel string
	// Shared means that another model has the same URL and ServedModel is not given, so that only
	// a model of this very name may be taken at the server.
	Shared bool
	// Capacity is the number of parallel jobs at an external server, or of containers to
	// start; 0 means not given: see Containers.
	Capacity int
	// Flags are the optimization_flags, in the order of the file. Environment is
	// what a container gets.
	Flags Settings
	// LLM are the checked settings of a text generation container of ours, nil for
	// everything else.
	LLM *LLM
	// GPUs are the devices that each container gets.
	GPUs GPUs
	// VRAM is the GPU memory that a container needs, over all its devices, in
	// bytes; 0 when unknown or external.
	VRAM int64
	// vramGiven means that the operator gave VRAM, else it comes from the table.
	vramGiven bool
	// Image is the container image that the entry asks for, "" for the pipeline's.
	Image string
	// Sandbox is what a container may do beyond serving its model.
	Sandbox Sandbox
	// RequestURLs says which addresses in requests its runner may be given.
	RequestURLs fetchurl.Policy
	// Features are what the operator says the model can do.
	Features inference.Abilities
	// Prices are those of the model; empty only off-chain.
	Prices []GatewayPrice
	// Place is where the entry begins.
	Position Position
}

// External reports whether the operator runs the server.
func (e *Entry) External() bool { return e.URL != "" || e.Remote }

// Served returns the model's name at the runner.
func (e *Entry) Served() string {
	if e.ServedModel != "" {
		return e.ServedModel
	}
	return e.Model.ID
}

// Containers returns how many containers the entry asks for, 0 for an external one.
func (e *Entry) Containers() int {
	if e.External() {
		return 0
	}
	return max(1, e.Capacity)
}

// Environment returns what a container of the entry gets besides PIPELINE and MODEL_ID:
// for text generation each of the runner's settings, in a fixed order with our
// defaults, then the other flags in the order of the file. An external entry has
// none.
func (e *Entry) Environment() Settings {
	if e.External() {
		return nil
	}
	var out Settings
	if e.LLM != nil {
		out = e.LLM.settings()
	}
	for _, s := range e.Flags {
		if _, typed := out.Lookup(s.Name); !typed {
			out = append(out, s)
		}
	}
	return out
}

// GPUs are the devices of one container.
type GPUs struct {
	// Count is how many it gets, at least 1 for a container and 0 for an external
	// server; in a node without devices it runs on none.
	Count int
	// IDs names them; nil leaves the choice to the node.
	IDs []string
}

// String is "2", or "0,1" when they are named.
func (g GPUs) String() string {
	if len(g.IDs) > 0 {
		return strings.Join(g.IDs, ",")
	}
	return strconv.Itoa(g.Count)
}

// GatewayPrice is a price for one gateway.
type GatewayPrice struct {
	// Gateway is the payer's address; zero means every other gateway.
	Gateway core.Address
	Price   core.UnitPrice
	// FromFlags means that the entry has no price, so that the node's own price applies.
	FromFlags bool
}
