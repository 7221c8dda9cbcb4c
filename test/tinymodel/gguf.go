package tinymodel

import (
	"bytes"
	"encoding/binary"
	"math"
)

// valueType is the number of a metadata value's type in a GGUF file.
type valueType uint32

const (
	typeUint32  valueType = 4
	typeInt32   valueType = 5
	typeFloat32 valueType = 6
	typeBool    valueType = 7
	typeString  valueType = 8
	typeArray   valueType = 9
)

// align is where tensors may begin: the format's default.
const align = 32

// file collects metadata and tensors and then lays a GGUF file out.
type file struct {
	keys    int
	meta    bytes.Buffer
	tensors []tensor
}

// tensor is a table of 32-bit floats; dims begin with the fastest one.
type tensor struct {
	name string
	dims []int
	data []float32
}

var little = binary.LittleEndian

func appendString(b []byte, s string) []byte {
	return append(little.AppendUint64(b, uint64(len(s))), s...)
}

func (f *file) put(key string, kind valueType, value []byte) {
	f.keys++
	f.meta.Write(append(little.AppendUint32(appendString(nil, key), uint32(kind)), value...))
}

func (f *file) text(key, value string)   { f.put(key, typeString, appendString(nil, value)) }
func (f *file) number(key string, n int) { f.put(key, typeUint32, little.AppendUint32(nil, uint32(n))) }
func (f *file) real(key string, x float32) {
	f.put(key, typeFloat32, little.AppendUint32(nil, math.Float32bits(x)))
}
func (f *file) truth(key string, yes bool) {
	b := byte(0)
	if yes {
		b = 1
	}
	f.put(key, typeBool, []byte{b})
}

func (f *file) list(key string, kind valueType, n int, value func(b []byte, i int) []byte) {
	b := little.AppendUint64(little.AppendUint32(nil, uint32(kind)), uint64(n))
	for i := range n {
		b = value(b, i)
	}
	f.put(key, typeArray, b)
}

func (f *file) tensor(name string, data []float32, dims ...int) {
	f.tensors = append(f.tensors, tensor{name, dims, data})
}

// bytes is the whole file.
func (f *file) bytes() []byte {
	out := append([]byte("GGUF"), little.AppendUint32(nil, 3)...)
	out = little.AppendUint64(out, uint64(len(f.tensors)))
	out = little.AppendUint64(out, uint64(f.keys))
	out = append(out, f.meta.Bytes()...)
	offset := 0
	for _, t := range f.tensors {
		out = little.AppendUint32(appendString(out, t.name), uint32(len(t.dims)))
		for _, d := range t.dims {
			out = little.AppendUint64(out, uint64(d))
		}
		// Type 0 is 32-bit floats.
		out = little.AppendUint64(little.AppendUint32(out, 0), uint64(offset))
		offset += aligned(4 * len(t.data))
	}
	out = append(out, make([]byte, aligned(len(out))-len(out))...)
	for _, t := range f.tensors {
		begin := len(out)
		for _, x := range t.data {
			out = little.AppendUint32(out, math.Float32bits(x))
		}
		out = append(out, make([]byte, aligned(len(out)-begin)-(len(out)-begin))...)
	}
	return out
}

func aligned(n int) int { return (n + align - 1) / align * align }
