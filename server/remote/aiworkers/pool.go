package aiworkers

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"google.golang.org/grpc"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fairqueue"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

// Pool is the registered AI workers. It is an inference.Worker, a route group of the
// orchestrator's listener and a component.
type Pool struct {
	rpc.UnimplementedAIWorkerServer
	opt      Options
	tasks    *remote.Tasks[*answer]
	inputs   *inputs
	budget   *remote.Budget
	backlogs *fairqueue.Budget
	refusals *remote.Refusals
	parties  *remote.Parties
	// failures limits the lines of jobs that workers did not begin.
	failures fault.Lines

	mu sync.Mutex
	// workers are in order of their first registration; guarded by mu, like all fields
	// below.
	workers []*worker
	models  map[inference.Model]*model
	tallies device.Tallies
	// order has the models in order of their first registration.
	order []*model
	// activeAnswers are the answers in progress, by task.
	activeAnswers map[remote.TaskID]*answer
	// registrations counts the registration ids that were given out.
	registrations int
	closed        bool
}

var _ inference.Worker = (*Pool)(nil)

// New makes a pool without workers.
func New(opt Options) (*Pool, error) {
	if err := opt.complete(); err != nil {
		return nil, fmt.Errorf("build pool of AI workers: %w", err)
	}
	parties, err := remote.NewParties(opt.Random)
	if err != nil {
		return nil, fmt.Errorf("build pool of AI workers: %w", err)
	}
	return &Pool{
		opt:           opt,
		parties:       parties,
		tasks:         remote.NewTasks[*answer](opt.FirstTask),
		inputs:        newInputs(opt.Random),
		budget:        remote.NewBudget(answerBytes),
		backlogs:      fairqueue.NewBudget(backlogBytes),
		refusals:      remote.NewRefusals(opt.Log, opt.Now),
		models:        make(map[inference.Model]*model),
		activeAnswers: make(map[remote.TaskID]*answer),
	}, nil
}

// Register adds the stream on which workers register.
func (p *Pool) Register(s *grpc.Server) { rpc.RegisterAIWorkerServer(s, p) }

// Routes adds the paths of answers and of the inputs of jobs.
func (p *Pool) Routes(mux *http.ServeMux) {
	mux.HandleFunc("POST "+resultsPath, p.result)
	mux.HandleFunc("GET "+inputsPath+"{id}", p.inputs.serve)
}

// Name is "remote AI workers".
func (p *Pool) Name() string { return "remote AI workers" }

// Run waits for ctx to end, and then ends all registrations. The workers register again by
// themselves.
func (p *Pool) Run(ctx context.Context, ready func()) error {
	ready()
	<-ctx.Done()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, w := range p.workers {
		w.stream.end()
	}
	return nil
}

// Models is every model's state: see inference.Worker.
func (p *Pool) Models() []inference.ModelState {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]inference.ModelState, 0, len(p.order))
	for _, m := range p.order {
		out = append(out, m.stateNowLocked())
	}
	return out
}
