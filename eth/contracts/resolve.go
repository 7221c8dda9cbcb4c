package contracts

import (
	"context"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// ResolveOptions choose the registry.
type ResolveOptions struct {
	// AIRegistry: the node's service URI is in the AI network's registry.
	AIRegistry bool
	// AIRegistryAddr is where that registry is; it may be given without choosing it.
	AIRegistryAddr core.Address
}

const opResolve = "resolve contracts"

// Resolve asks the Controller for all addresses in one batch. Its fault is
// ControllerInvalid where no Controller answers, ContractMissing where it does not
// know a contract that the node needs, or the endpoint's own.
func Resolve(ctx context.Context, b Batcher, controller core.Address, opt ResolveOptions) (Addresses, error) {
	a := Addresses{Controller: controller, AIServiceRegistry: opt.AIRegistryAddr}
	if controller.IsZero() {
		return Addresses{}, fault.New(fault.ControllerInvalid, opResolve, "no address of a Controller is given")
	}
	if opt.AIRegistry && opt.AIRegistryAddr.IsZero() {
		return Addresses{}, fault.New(fault.ContractMissing, opResolve,
			"this network has no known AIServiceRegistry")
	}
	entries := a.entries(opt.AIRegistry)
	reads := make([]Read, len(entries))
	for i, e := range entries {
		reads[i] = lookup(controller, e.name, e.addr)
	}
	if err := ReadAll(ctx, b, Latest, reads...); err != nil {
		return Addresses{}, notController(controller, err)
	}
	for _, e := range entries {
		if e.addr.IsZero() && !e.optional {
			return Addresses{}, fault.New(fault.ContractMissing, opResolve,
				e.name+" is not registered in the Controller "+controller.String())
		}
	}
	return ChooseRegistry(a, opt), nil
}

// ChooseRegistry returns the addresses with the registry of the options.
func ChooseRegistry(a Addresses, opt ResolveOptions) Addresses {
	a.AIServiceRegistry, a.Registry = opt.AIRegistryAddr, a.ServiceRegistry
	if opt.AIRegistry {
		a.Registry = a.AIServiceRegistry
	}
	return a
}

// lookup asks the Controller for one name.
func lookup(controller core.Address, name string, out *core.Address) Read {
	return view("Controller.getContract", controller,
		controllerABI.PackGetContract(nameID(name)), controllerABI.UnpackGetContract, setAddress(out))
}

// notController maps errors caused by a wrong address to ControllerInvalid; the endpoint's own
// faults stay.
func notController(controller core.Address, err error) error {
	switch fault.CodeOf(err) {
	case fault.ContractMissing, fault.ContractAnswerInvalid, fault.ContractReverted:
		return &fault.Fault{Code: fault.ControllerInvalid, Op: opResolve, Detail: controller.String(), Err: err}
	}
	return err
}
