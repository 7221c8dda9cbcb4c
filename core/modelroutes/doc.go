// Package modelroutes holds a gateway's rules for names of models: which model of the network a
// requested name stands for, and which models are asked when that one cannot answer.
//
// It is pure: the operator's file and the requests are parameters. server/gateway/aiapi is its caller.
// Which orchestrator gets a job is decided by core/airouting.
package modelroutes
