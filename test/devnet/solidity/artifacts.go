package solidity

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

//go:embed artifacts/*.json
var files embed.FS

// ClockAddress is the address of L1Clock's runtime code in the genesis block. Its storage slot 0 holds the
// first L1 number, and slot 1 the sequencer's address. Read-only.
var ClockAddress = common.BytesToAddress([]byte{0x64})

// Artifact is a compiled contract.
type Artifact struct {
	Name string
	// ABI is the JSON text of the interface.
	ABI string
	// Creation is the code of a deployment, to which packed constructor arguments
	// are appended.
	Creation []byte
	// Runtime is the code that stands on the chain afterwards.
	Runtime []byte
	// SourceHash changes with the sources, the compiler and its settings.
	SourceHash string
}

// ArtifactOf returns the artifact of a contract by its name.
func ArtifactOf(name string) (Artifact, error) {
	text, err := files.ReadFile("artifacts/" + name + ".json")
	if err != nil {
		return Artifact{}, fmt.Errorf("the test chain has no contract %q: %w", name, err)
	}
	var raw struct {
		ContractName     string          `json:"contractName"`
		ABI              json.RawMessage `json:"abi"`
		Bytecode         hexutil.Bytes   `json:"bytecode"`
		DeployedBytecode hexutil.Bytes   `json:"deployedBytecode"`
		SourceHash       string          `json:"sourceHash"`
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return Artifact{}, fmt.Errorf("artifact of %s: %w", name, err)
	}
	return Artifact{raw.ContractName, string(raw.ABI), raw.Bytecode, raw.DeployedBytecode, raw.SourceHash}, nil
}

// Names lists all contracts there are, sorted.
func Names() ([]string, error) {
	entries, err := fs.ReadDir(files, "artifacts")
	if err != nil {
		return nil, fmt.Errorf("list the artifacts: %w", err)
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".json"))
	}
	slices.Sort(names)
	return names, nil
}

// Interface parses the ABI.
func (a Artifact) Interface() (abi.ABI, error) {
	parsed, err := abi.JSON(strings.NewReader(a.ABI))
	if err != nil {
		return abi.ABI{}, fmt.Errorf("interface of %s: %w", a.Name, err)
	}
	return parsed, nil
}

// creation returns the data of a transaction that deploys the contract.
func (a Artifact) creation(args ...any) ([]byte, error) {
	parsed, err := a.Interface()
	if err != nil {
		return nil, err
	}
	packed, err := parsed.Pack("", args...)
	if err != nil {
		return nil, fmt.Errorf("constructor of %s: %w", a.Name, err)
	}
	return append(slices.Clone(a.Creation), packed...), nil
}

// call returns the data of a transaction that calls the contract.
func (a Artifact) call(method string, args ...any) ([]byte, error) {
	parsed, err := a.Interface()
	if err != nil {
		return nil, err
	}
	data, err := parsed.Pack(method, args...)
	if err != nil {
		return nil, fmt.Errorf("%s.%s: %w", a.Name, method, err)
	}
	return data, nil
}
