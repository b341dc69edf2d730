package domain

import "slices"

// A Precondition limits a write to the versions that its caller has seen: the
// If-Match of HTTP. The zero value holds for no version.
type Precondition[V ~string] struct {
	any      bool
	versions []V
}

// Any holds for whatever version stands.
func Any[V ~string]() Precondition[V] { return Precondition[V]{any: true} }

// OneOf holds for the given versions alone.
func OneOf[V ~string](versions ...V) Precondition[V] { return Precondition[V]{versions: versions} }

// Holds tells whether the caller accepts the version that stands.
func (p Precondition[V]) Holds(standing V) bool {
	return p.any || slices.Contains(p.versions, standing)
}
