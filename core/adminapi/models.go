package adminapi

// The paths of AI models.
const (
	// PathModels lists them.
	PathModels = Prefix + "/models"
	// PathModelState takes a ModelChange.
	PathModelState = Prefix + "/models/state"
	// PathModelTest takes a ModelName and runs a small job.
	PathModelTest = Prefix + "/models/test"
	// PathModelPull takes a ModelName and fetches what the model needs; QueryDryRun "true"
	// only looks. Its answer is lines of ModelPullLine.
	PathModelPull = Prefix + "/models/pull"
)

// ModelState is a Model: a struct that holds one has a field of the name Model next to it.
type ModelState = Model

// ServedModel is an AI model with its price.
type ServedModel struct {
	ModelState
	// WeiPerUnit is what a gateway without a price of its own pays for a unit, a whole
	// number or "a/b"; null off-chain, without a price, and while its currency's rate is
	// not known.
	WeiPerUnit *string `json:"weiPerUnit"`
}

// Models are the AI models of this machine and of workers on other machines.
type Models struct {
	Models []ServedModel `json:"models"`
}

// ModelName names a model of this machine. Pipeline may be empty where the model has one
// pipeline only.
type ModelName struct {
	Pipeline string `json:"pipeline,omitempty"`
	Model    string `json:"model"`
}

// ModelChange loads a model and keeps it loaded, or unloads it until a job asks for it,
// until the next start or a reload that changes the model's "warm".
type ModelChange struct {
	ModelName
	Warm bool `json:"warm"`
}

// ModelTest is what came of a small job that the node gave to a model itself, without
// payment.
type ModelTest struct {
	Pipeline string `json:"pipeline"`
	Model    string `json:"model"`
	// Worker is the container or server that did it.
	Worker string `json:"worker"`
	// Status is the HTTP status of its answer, Bytes the length.
	Status int   `json:"status"`
	Bytes  int64 `json:"bytes"`
	// WaitMilliseconds went by until a slot was free, with the time to load the model;
	// Milliseconds until the answer was complete.
	WaitMilliseconds int64 `json:"waitMilliseconds"`
	Milliseconds     int64 `json:"milliseconds"`
}
