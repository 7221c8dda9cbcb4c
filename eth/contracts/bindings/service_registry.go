// Code generated via abigen V2 - DO NOT EDIT.
// This file is a generated binding and any manual changes will be lost.

package bindings

import (
	"bytes"
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/accounts/abi/bind/v2"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// Reference imports to suppress errors if they are not otherwise used.
var (
	_ = bytes.Equal
	_ = errors.New
	_ = big.NewInt
	_ = common.Big1
	_ = types.BloomLookup
	_ = abi.ConvertType
)

// ServiceRegistryMetaData contains all meta data concerning the ServiceRegistry contract.
var ServiceRegistryMetaData = bind.MetaData{
	ABI: "[{\"type\":\"function\",\"name\":\"setServiceURI\",\"inputs\":[{\"type\":\"string\",\"name\":\"serviceURI\"}],\"outputs\":[],\"stateMutability\":\"nonpayable\"},{\"type\":\"function\",\"name\":\"getServiceURI\",\"stateMutability\":\"view\",\"inputs\":[{\"type\":\"address\",\"name\":\"addr\"}],\"outputs\":[{\"type\":\"string\",\"name\":\"\"}]},{\"type\":\"event\",\"anonymous\":false,\"name\":\"ServiceURIUpdate\",\"inputs\":[{\"type\":\"address\",\"name\":\"addr\",\"indexed\":true},{\"type\":\"string\",\"name\":\"serviceURI\"}]}]",
	ID:  "ServiceRegistry",
}

// ServiceRegistry is an auto generated Go binding around an Ethereum contract.
type ServiceRegistry struct {
	abi abi.ABI
}

// NewServiceRegistry creates a new instance of ServiceRegistry.
func NewServiceRegistry() *ServiceRegistry {
	parsed, err := ServiceRegistryMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &ServiceRegistry{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *ServiceRegistry) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackGetServiceURI is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x214c2a4b.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function getServiceURI(address addr) view returns(string)
func (serviceRegistry *ServiceRegistry) PackGetServiceURI(addr common.Address) []byte {
	enc, err := serviceRegistry.abi.Pack("getServiceURI", addr)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGetServiceURI is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x214c2a4b.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function getServiceURI(address addr) view returns(string)
func (serviceRegistry *ServiceRegistry) TryPackGetServiceURI(addr common.Address) ([]byte, error) {
	return serviceRegistry.abi.Pack("getServiceURI", addr)
}

// UnpackGetServiceURI is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x214c2a4b.
//
// Solidity: function getServiceURI(address addr) view returns(string)
func (serviceRegistry *ServiceRegistry) UnpackGetServiceURI(data []byte) (string, error) {
	out, err := serviceRegistry.abi.Unpack("getServiceURI", data)
	if err != nil {
		return *new(string), err
	}
	out0 := *abi.ConvertType(out[0], new(string)).(*string)
	return out0, nil
}

// PackSetServiceURI is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5f11301b.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function setServiceURI(string serviceURI) returns()
func (serviceRegistry *ServiceRegistry) PackSetServiceURI(serviceURI string) []byte {
	enc, err := serviceRegistry.abi.Pack("setServiceURI", serviceURI)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSetServiceURI is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5f11301b.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function setServiceURI(string serviceURI) returns()
func (serviceRegistry *ServiceRegistry) TryPackSetServiceURI(serviceURI string) ([]byte, error) {
	return serviceRegistry.abi.Pack("setServiceURI", serviceURI)
}

// ServiceRegistryServiceURIUpdate represents a ServiceURIUpdate event raised by the ServiceRegistry contract.
type ServiceRegistryServiceURIUpdate struct {
	Addr       common.Address
	ServiceURI string
	Raw        *types.Log // Blockchain specific contextual infos
}

const ServiceRegistryServiceURIUpdateEventName = "ServiceURIUpdate"

// ContractEventName returns the user-defined event name.
func (ServiceRegistryServiceURIUpdate) ContractEventName() string {
	return ServiceRegistryServiceURIUpdateEventName
}

// UnpackServiceURIUpdateEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event ServiceURIUpdate(address indexed addr, string serviceURI)
func (serviceRegistry *ServiceRegistry) UnpackServiceURIUpdateEvent(log *types.Log) (*ServiceRegistryServiceURIUpdate, error) {
	event := "ServiceURIUpdate"
	if len(log.Topics) == 0 || log.Topics[0] != serviceRegistry.abi.Events[event].ID {
		return nil, errors.New("event signature mismatch")
	}
	out := new(ServiceRegistryServiceURIUpdate)
	if len(log.Data) > 0 {
		if err := serviceRegistry.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range serviceRegistry.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}
