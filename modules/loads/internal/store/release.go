package store

import (
	"slices"
)

// LacksRelease reports whether a vehicle waits, or has waited before a change, without a pass of its own.
func (l *Load) LacksRelease(was *Load, v Vehicle) bool {
	return v.GatePass == "" && (v.Custody == Waiting || v.Custody == OnBoard && was != nil && was.VehicleByID(v.UUID).Custody == Waiting)
}

// Released reports whether the load has a release for all of its vehicles.
func (l *Load) Released() bool {
	return slices.ContainsFunc(l.References.V, func(r reference) bool { return r.Value != "" && (r.Kind == "gate_pass" || r.Kind == "release") })
}
