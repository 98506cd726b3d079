// Creates, reads, changes, lists and deletes a record with a client that is typed by the OpenAPI
// document of the company's modules. What the document has wrong does not compile.
import createClient from "openapi-fetch";
import type { components, paths } from "./generated/schema.js";
import { module } from "./generated/module.js";

const [url, token] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${token}` } });
const records = `/custom_modules/api/v1/modules/${module}/records` as const;
const one = `${records}/{record_uuid}` as const;

function check(holds: boolean, what: unknown): asserts holds {
  if (!holds) throw new Error(JSON.stringify(what));
}

const payload: components["schemas"]["VehiclePrufungPayload"] & { vin: string } = {
  vin: "1HGCM82633A004352", price: "12500.00", colour: "red", год: 2019,
};
const made = await client.POST(records, { body: { payload } });
check(made.data !== undefined, made.error);
const price: string | null | undefined = made.data.payload.price;
check(price === "12500.00" && made.data.version === 1, made.data);

// @ts-expect-error a number is no decimal
const wrong: components["schemas"]["VehiclePrufungCreate"] = { vin: "1HGCM82633A004352", price: 12500 };
// @ts-expect-error the vin is required
const missing: components["schemas"]["VehiclePrufungCreate"] = {};
check(wrong !== missing, "two objects");

const path = { record_uuid: made.data.uuid };
const changed = await client.PATCH(one, {
  params: { path, header: { "If-Match": '"1"' } }, body: { payload: { colour: null } },
});
check(changed.data?.version === 2, changed.error);
const listed = await client.GET(records, {
  params: { query: { filter: { vin: payload.vin }, sort: "-price,vin", per_page: 10 } },
});
check(listed.data?.data.length === 1, listed.error);
const removed = await client.DELETE(one, { params: { path } });
check(removed.response.status === 204, removed.error);
const gone = await client.GET(one, { params: { path } });
check(gone.error?.code === "custom_modules.record_not_found", gone);
console.log("client: created, read, changed, listed and deleted a record");
