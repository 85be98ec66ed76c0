/** An API of a project, as it is stored, in the collection `apis`. */
export interface Api {
  _id: string;
  projectId: string;
  name: string;
  createdAt: Date;
  updatedAt: Date;
}
