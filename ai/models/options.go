package models

import (
	"github.com/tuttinode/tutti/ai/gpuplacement"
	"github.com/tuttinode/tutti/core"
)

// Options are the inputs of Load. It reads nothing else.
type Options struct {
	// Value is what -aiModels gives: a file's path, the inline form
	// pipeline:model_id:warm,… or the JSON itself. "" means no AI.
	Value string
	// ReadFile reads the models file, the file of verified models and a model's
	// config.json. Errors are compared with fs.ErrNotExist and fs.ErrPermission. It may end
	// after MaxFileBytes+1 bytes.
	ReadFile func(path string) ([]byte, error)
	// VerifiedFile extends the shipped list of verified models, "" for none.
	VerifiedFile string
	// AllowUnverified takes any model ID.
	AllowUnverified bool
	// ModelsDir holds weights in the hub's cache layout. It is read for the shape of models
	// that are split over several devices.
	ModelsDir string
	// Devices are the GPUs that the node was given; empty means that runners get none and
	// share one emulated device.
	Devices []Device
	// ContainersPerGPU is -aiRunnerContainersPerGPU: how many containers may share a
	// device, 0 is one.
	ContainersPerGPU int
	// Offchain means that jobs are not paid, so that entries need no price.
	Offchain bool
	// Serverless takes one model of live-video-to-video whose url is a WebSocket.
	Serverless bool
	// DefaultPrice is -pricePerUnit and -pixelsPerUnit, for entries without price.
	DefaultPrice core.UnitPrice
	// CheckPrice returns an error for an invalid price; nil accepts any.
	CheckPrice func(core.UnitPrice) error
}

// MaxFileBytes bounds every file that is read.
const MaxFileBytes = 4 << 20

// Device is a GPU.
type Device = gpuplacement.Device
