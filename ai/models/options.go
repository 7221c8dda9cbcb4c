package models

import "github.com/tuttinode/tutti/core"

// Options is what Load looks at. Nothing else of the machine is read.
type Options struct {
	// Value is what -aiModels gives: a file's path, the inline form
	// pipeline:model_id:warm,… or the JSON itself. "" means no AI.
	Value string
	// ReadFile reads the models file, the file of verified models and a model's
	// own description. Errors are judged with errors.Is against fs.ErrNotExist and
	// fs.ErrPermission. It may end after MaxFileBytes+1 bytes.
	ReadFile func(path string) ([]byte, error)
	// VerifiedFile extends the shipped list of verified models, "" for none.
	VerifiedFile string
	// AllowUnverified takes any model ID.
	AllowUnverified bool
	// ModelsDir holds weights in the hub's cache layout. It is looked into for the
	// shape of models that are to be spread over several devices.
	ModelsDir string
	// Devices are the GPUs that the node was given; empty means that runners get
	// none, and share what counts as one.
	Devices []Device
	// ContainersPerGPU is -aiRunnerContainersPerGPU: how many containers may share a
	// device, 0 is one.
	ContainersPerGPU int
	// Offchain says that nobody pays, so that entries need no price.
	Offchain bool
	// DefaultPrice is -pricePerUnit and -pixelsPerUnit, for entries without price.
	DefaultPrice core.UnitPrice
	// CheckPrice is the error of a price that cannot be asked; nil finds no fault with
	// any.
	CheckPrice func(core.UnitPrice) error
}

// MaxFileBytes bounds every file that is read.
const MaxFileBytes = 4 << 20

// Device is a GPU.
type Device struct {
	// ID is the driver's index or UUID, "0".
	ID string
	// MemoryBytes is its memory, 0 when unknown.
	MemoryBytes int64
}
