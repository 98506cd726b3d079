// Creates, reads, changes, finds and deletes a contact with a client that is typed by the OpenAPI document of the service. What the document
// has wrong does not compile.
import createClient from "openapi-fetch";
import type { components, paths } from "./generated/public.js";

const [url, token] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${token}` } });

function check(holds: boolean, what: unknown): asserts holds {
  if (!holds) throw new Error(JSON.stringify(what));
}

// @ts-expect-error a status is one of a few
const wrong: components["schemas"]["ContactsContactCreateRequest"] = { status: "asleep" };
const made = await client.POST("/contacts/api/v1/contacts", { body: { first_name: "Pat", last_name: "Doe", credit_limit: "12500.00" } });
check(made.data !== undefined && wrong !== undefined, made.error);
const path = { uuid: made.data.uuid };
const changed = await client.PATCH("/contacts/api/v1/contacts/{uuid}", {
  params: { path, header: { "If-Match": made.response.headers.get("ETag")! } }, body: { last_name: "Roe" },
});
check(changed.data?.last_name === "Roe", changed.error);
const read = await client.GET("/contacts/api/v1/contacts/{uuid}", { params: { path } });
check(read.data?.version === changed.data.version, read.error);
const listed = await client.GET("/contacts/api/v1/contacts", { params: { query: { filter: { last_name: "Roe" }, per_page: 10, expand: "parent" } } });
check(listed.data?.data.length === 1, listed.error);
const embedded: components["schemas"]["Expanded"] | undefined = listed.data.data[0]?.expanded?.parent;
check(embedded === undefined || embedded.exists !== undefined, listed.data);
const removed = await client.DELETE("/contacts/api/v1/contacts/{uuid}", { params: { path } });
check(removed.response.status === 204, removed.error);
const gone = await client.GET("/contacts/api/v1/contacts/{uuid}", { params: { path } });
check(gone.error?.code === "contacts.contact_not_found", gone);
console.log("client: TypeScript, of all areas: created, changed, read, listed and deleted a contact");
