// Package field knows the types of fields that companies and areas give their things: what a value looks like, its one normal
// form, how it is compared, its JSON Schema, and how it stands in a cell of a table.
//
// A [Type] is "vin" or "address". [Types] lists those whose values mean the same wherever they stand; who has more of them, such
// as references between records, makes further ones. [Type.Values] reads the options of one field (the longest text, the choices)
// and returns the [Values] that handle it. What only some types can do is an interface of its own: [PartSearcher], [Folder],
// [Keeper], [UserNamer], [Worded], [Shaper], [Computed], [Offering].
//
// For the structs of areas there are Go types of the same values: [VIN], [Phone], [Address], [Weight] and others. They read and
// write what the field type does, in JSON and in a column.
package field
