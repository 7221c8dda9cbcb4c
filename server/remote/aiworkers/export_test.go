package aiworkers

import (
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

// JoinParts is joinParts, for the fuzzer.
func JoinParts(text []byte, boundary string) ([]byte, error) { return joinParts(text, boundary) }

// NetworkRequest is networkRequest, for the fuzzer.
func NetworkRequest(job *inference.Job) (request, file []byte, err error) { return networkRequest(job) }

// Failure is failure, for the fuzzer.
var Failure = failure

// ReadRegistration is what is made of a registration: its models.
func ReadRegistration(req *rpc.RegisterAIWorkerRequest) ([]inference.ModelState, error) {
	r, err := readRegistration(req, remote.NewIdentity(req.GetNode(), req.GetWorker(), req.GetInstance(), "192.0.2.1:99"))
	if err != nil {
		return nil, err
	}
	return r.models, nil
}
